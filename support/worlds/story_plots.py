"""The plots of the story world, and the sentences that they share (see :mod:`support.worlds.patterns`)."""

POOLS = {
    "opening": """
        once there was a {trait} {hero.kid} named {hero} .
        {hero} was a {trait} {hero.kid} who lived near the {place} .
        a {trait} {hero.kid} called {hero} lived beside the {place} .
        long ago there was a {trait} {hero.kid} whose name was {hero} .
    """,
    "scene": """
        it was a {sky.day} day , and the {sky} {sky.did} .
        on {day} the {sky} {sky.did} all morning|afternoon|day .
        the {place.ground} felt soft|cold|warm|damp , and a {insect} {insect.did} near the {flower} .
        a {insect} {insect.did} over|under|around the {flower} .
        {number} {bird} crossed the sky above the {place} .
        somewhere far away a {noise} {noise.did} , and then all was still .
        the old {tree} swayed|creaked|whispered|rustled , and its shadow grew .
    """,
    "pause": """
        {hero.he} hummed|whistled|sang a slow|cheerful|silly tune and went on .
        {hero} looked up at the {sky} and thought of {dish} .
        {hero} counted {number} {bird} in the {tree} .
        {hero.he} stopped to smell a {flower} beside the path|road|wall .
        {hero.he} walked a bit faster because of the {sky} .
    """,
    "ending": """
        that night {hero} ate {dish} and felt {mood} .
        in the evening {hero} was {mood} , and the {sky} {sky.did} no more .
        {hero} went home to eat {dish} , and {hero.he} was {mood} .
        from that day on the {trait} {hero.kid} was always {mood} .
        then {hero} fell asleep under the {tree} , {mood} and warm .
    """,
}

LOST = """
    @opening
    {hero} had a {colour} {thing} made of {thing.of} .
    / for {hero.his} birthday {hero.he} got a {colour} {thing} .
    / every {day} {hero} {thing.play} {hero.his} {colour} {thing} .
    @scene 0.6
    {hero} took the {colour} {thing} and walked|ran|skipped to the {place} .
    / {hero.he} carried the {colour} {thing} all the way to the {place} .
    @scene 0.4
    but {place.at} the {place} the {colour} {thing} slipped away and was lost .
    / there {hero.he} fell asleep , and when {hero.he} woke the {thing} was gone .
    {hero} was {sad} and began to cry|search|shout .
    / " where is my {colour} {thing} ? " cried|asked|whispered {hero} .
    a {animal.size} {animal} came out of its {animal.home} and {animal.sound} .
    / soon a {animal.size} {animal} heard {hero.him} and {animal.sound} .
    the {animal} {animal.gait} to the {spot} and waited .
    / it {animal.gait} three times around the {spot} .
    @scene 0.3
    there {spot.by} the {spot} lay the {colour} {thing} !
    / {spot.by} the {spot} {hero.he} found {hero.his} {colour} {thing} !
    {hero} gave the {animal} some {animal.food} to say thank you .
    / {hero.he} smiled and shared {hero.his} {animal.food} with the {animal} .
    @ending
"""
RESCUE = """
    @opening
    @scene 0.6
    {place.at} the {place} {hero} heard a strange|faint|loud noise .
    / while {hero.he} was {place.at} the {place} , something {animal.sound} .
    a {animal.size} {animal} was stuck in the {trouble} .
    / it was a {animal.size} {animal} , and it could not get out of the {trouble} .
    the {animal} looked {sad} and {animal.sound} .
    / " please help me , " said the {animal} .
    {hero} ran|hurried home to fetch {hero.his} {kin} .
    / {hero.he} called {hero.his} {kin} as loudly as {hero.he} could .
    {hero.his} {kin} came at once , and {kin.he} brought {kin.his} {trouble.tool} .
    / the {kin} took {kin.his} {trouble.tool} and followed {hero.him} .
    @scene 0.4
    together they {trouble.did} the {trouble.what} , and the {animal} was free|safe .
    / {hero} held the {animal} while {hero.his} {kin} {trouble.did} the {trouble.what} .
    the {animal} {animal.gait} back to its {animal.home} .
    / they gave it some {animal.food} , and it {animal.gait} home to its {animal.home} .
    @scene 0.3
    " you are a {trait} {hero.kid} , " said {hero.his} {kin} .
    / the {kin} hugged|praised {hero.him} and called {hero.him} {trait} .
    @ending
"""
GIFT = """
    @opening
    {hero} wanted to make a {craft} for {hero.his} {kin} .
    / it was the birthday of {hero.his} {kin} , so {hero.he} planned a {craft} .
    for the {craft} {hero.he} needed {craft.one} and {craft.two} .
    / " i need {craft.one} and {craft.two} , " said {hero} .
    @scene 0.5
    first {hero.he} went to the {craft.here} to get the {craft.one} .
    / at the {craft.here} {hero} found the {craft.one} .
    on the way {hero.he} met a {job} who {job.did} {job.what} .
    / a friendly|busy {job} with a {job.tool} showed {hero.him} the way .
    then {hero.he} hurried to the {craft.there} for the {craft.two} .
    / the {job} gave {hero.him} the {craft.two} from the {craft.there} .
    @pause 0.5
    {hero} worked all morning|afternoon|day until the {craft} was ready .
    / {hero.he} worked slowly|carefully , and the {craft} became very fine .
    @scene 0.3
    when {hero.his} {kin} saw the {craft} , {kin.he} laughed|smiled|clapped .
    / {hero.his} {kin} rubbed {kin.his} eyes , and {kin.he} laughed|smiled|clapped .
    " thank you , {hero} , " said {hero.his} {kin} .
    / " this is the best {craft} of all , " said the {kin} to {hero} .
    @ending
"""
FRIENDS = """
    @opening
    {hero} had no friends and felt {sad} .
    / {hero} often sat alone and looked {sad} .
    @scene 0.5
    {place.at} the {place} {hero.he} saw {friend} with a {colour} {thing} .
    / one {day} {hero.he} met {friend} , who had a {colour} {thing} .
    " may i have a turn with your {colour} {thing} ? " asked {hero} .
    / {hero} looked at the {colour} {thing} , but {hero.he} was too shy to speak .
    {friend} smiled and gave {hero.him} the {colour} {thing} .
    / " take it , " said {friend} , and {friend.he} gave {hero.him} the {thing} .
    {hero} {thing.play} the {thing} until it was dark|late .
    / they {thing.play} the {colour} {thing} and laughed all morning|afternoon|day .
    @scene 0.5
    a {animal.size} {animal} came near and {animal.sound} .
    they fed the {animal} some {animal.food} , and it {animal.gait} around them .
    / {friend} gave the {animal} some {animal.food} , and it {animal.sound} again .
    @scene 0.4
    " come back tomorrow , " said {friend} to {hero} .
    / {hero} and {friend} promised to meet again {place.at} the {place} .
    " keep the {colour} {thing} , " said {friend} .
    / now the {colour} {thing} belonged to both of them .
    @ending
"""
WORK = """
    @opening
    every {day} {hero} helped the {job} at the {job.where} .
    / {hero} liked to visit the {job} who {job.did} {job.what} at the {job.where} .
    @scene 0.5
    but one morning|afternoon|evening the {job.tool} of the {job} vanished .
    / " my {job.tool} is gone , " said the {job} , who was {sad} .
    {hero} searched {place.at} the {place} and {spot.by} the {spot} .
    / {hero.he} asked a {animal.size} {animal} , which {animal.sound} and {animal.gait} to the {spot} .
    @scene 0.4
    {spot.by} the {spot} {hero.he} saw the {job.tool} !
    / there {spot.by} the {spot} lay the {job.tool} of the {job} !
    @pause 0.5
    the {job} was {mood} and gave {hero.him} a {colour} {thing} .
    / " take this {colour} {thing} , " said the {job} , " because you are {trait} . "
    the {colour} {thing} was made of {thing.of} , and {hero} {thing.play} it every {day} .
    / {hero} showed the {colour} {thing} to {hero.his} {kin} , and {kin.he} smiled .
    @scene 0.4
    soon the {job} {job.did} {job.what} again , and {hero} {thing.play} the {colour} {thing} .
    / after that the {job} always {job.did} {job.what} with the {job.tool} .
    @ending
"""
RACE = """
    a {animal.size} {animal} and a {rival.size} {rival} lived {place.at} the {place} .
    / once a {animal.size} {animal} met a {rival.size} {rival} {place.at} the {place} .
    @scene 0.6
    " i am faster than you , " said the {animal} .
    / the {animal} thought|boasted that it was the fastest of all .
    " let us race to the {colour} {thing} , " said the {rival} .
    / the {rival} pointed at a {colour} {thing} far away .
    the {animal} {animal.gait} and the {rival} {rival.gait} as fast as they could .
    / at once the {rival} {rival.gait} , but the {animal} {animal.gait} too .
    @scene 0.4
    halfway the {loser} stopped to eat some {loser.food} .
    / but the {loser} grew tired and thought of its {loser.home} .
    so the {winner} reached the {colour} {thing} first and {winner.sound} .
    / the {winner} won the race and took the {colour} {thing} .
    @scene 0.4
    " well done , " said the {loser} , and it {loser.sound} .
    / the {loser} was {sad} , but it {loser.sound} and said " well done . "
    they shared some {winner.food} near the {winner.home} of the {winner} .
    / that evening they rested in the {winner.home} beside the {colour} {thing} .
    then both were {mood} , and the {sky} {sky.did} no more .
    / from that day on the {animal} and the {rival} were friends .
"""

PLOTS = {
    "lost": (0.24, LOST),
    "rescue": (0.18, RESCUE),
    "gift": (0.16, GIFT),
    "friends": (0.16, FRIENDS),
    "work": (0.14, WORK),
    "race": (0.06, RACE.replace("loser", "animal").replace("winner", "rival")),
    "race, the other way": (0.06, RACE.replace("loser", "rival").replace("winner", "animal")),
}
