import type { TopLevelTopic } from './schema/topic.js'

/** The subject of a topic without any of the words below. */
export const DEFAULT_SUBJECT: TopLevelTopic = 'diaries_daily_life'

/** Words, and ids of channels, that place a topic. Without `diaries_daily_life`, which needs none. */
export const subjectWords: Readonly<Partial<Record<TopLevelTopic, string>>> = {
  arts_culture:
    'art arts artist artists artwork gallery museum painting paint drawing sketch illustration sculpture exhibition ' +
    'design poetry poem poet theater theatre photography photo photos nft nfts generative canvas architecture culture',
  business_entrepreneurs:
    'business startup startups founder founders entrepreneur company market markets trading trader invest investing ' +
    'investor investors stock stocks fund funding revenue sales customers economy economics finance token tokens coin ' +
    'price bitcoin ethereum crypto defi airdrop yield usdc',
  celebrity_pop_culture:
    'celebrity celebrities famous gossip kardashian swift oscars grammys paparazzi influencer idol kpop fandom hollywood',
  family:
    'family kids kid child children baby mom mother dad father parents parenting son daughter brother sister grandma ' +
    'grandmother grandpa pregnancy toddler',
  fashion_style:
    'fashion style outfit outfits clothes clothing dress shoes sneakers designer streetwear makeup beauty skincare hair ' +
    'jewelry watch watches vintage',
  film_tv_video:
    'film films movie movies cinema trailer director actor actress netflix series episode season youtube video videos ' +
    'anime show documentary screenplay',
  fitness_health:
    'fitness gym workout workouts exercise running runner marathon yoga lifting health healthy doctor sleep diet vitamin ' +
    'wellness therapy meditation cycling hospital medicine',
  food_dining:
    'food recipe recipes cook cooking kitchen restaurant dinner lunch breakfast coffee tea wine beer pizza bread baking ' +
    'sourdough cheese chef soup sushi tacos chocolate eat eating delicious',
  gaming:
    'game games gaming gamer gamers playstation xbox nintendo steam esports minecraft fortnite zelda pokemon chess poker ' +
    'console rpg multiplayer',
  learning_educational:
    'learn learning lesson lessons course courses teach teacher teaching tutorial book books reading library history ' +
    'language science education lecture math mathematics philosophy essay',
  music:
    'music song songs album albums band concert guitar piano drums jazz rap hiphop techno dj vinyl playlist spotify singer ' +
    'melody lyrics orchestra musician musicians',
  news_social_concern:
    'news election elections vote voting president government politics political congress senate law policy war protest ' +
    'climate court rights minister parliament tariff tariffs inflation crisis earthquake',
  other_hobbies:
    'garden gardening gardens gardener soil compost plants plant tomato tomatoes hobby knitting woodworking fishing birds ' +
    'birding collecting cars motorcycle lego origami crochet pottery pets dog dogs cat cats puppy kitten',
  relationships:
    'dating date love relationship relationships marriage married wedding boyfriend girlfriend husband wife partner ' +
    'breakup divorce friendship valentine engaged',
  science_technology:
    'science scientist research physics biology chemistry space nasa rocket telescope software developer developers code ' +
    'coding programming rust typescript python agent agents model models llm gpt robot robots computer server database ' +
    'protocol hub snapchain open source api bug release ship quantum chip chips hardware',
  sports:
    'sport sports football soccer basketball baseball tennis golf hockey cricket rugby match team teams league season ' +
    'goal goals coach nba nfl fifa olympics championship tournament playoffs stadium formula',
  travel_adventure:
    'travel traveling trip flight flights airport hotel beach island mountain mountains hike hiking camping adventure ' +
    'vacation holiday tourist passport train journey trail road',
  youth_student_life:
    'school student students college university campus exam exams homework classmates semester graduation dorm teen ' +
    'teens freshman thesis',
}
