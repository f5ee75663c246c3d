import { type Static, Type } from '@sinclair/typebox'
import { NextCursor, textEnum } from '../../../graph/view/schema/primitives.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

/** The subjects that topics are sorted into. */
export const topLevelTopics = [
  'arts_culture',
  'business_entrepreneurs',
  'celebrity_pop_culture',
  'diaries_daily_life',
  'family',
  'fashion_style',
  'film_tv_video',
  'fitness_health',
  'food_dining',
  'gaming',
  'learning_educational',
  'music',
  'news_social_concern',
  'other_hobbies',
  'relationships',
  'science_technology',
  'sports',
  'travel_adventure',
  'youth_student_life',
] as const
export type TopLevelTopic = (typeof topLevelTopics)[number]

export const TrendingTopic = Type.Object(
  {
    slug: Type.String({ description: 'Lowercase letters, digits and underscores.', examples: ['ai_agents'] }),
    name: Type.String({ examples: ['AI agents'] }),
    top_level_topic: textEnum(topLevelTopics, { examples: ['science_technology'] }),
    summary: Type.Union([Type.String(), Type.Null()], {
      description: 'Null without a language model.',
      examples: [null],
    }),
    authors: Type.Array(UserDehydrated, {
      maxItems: 5,
      description: 'Authors of casts about the topic, by score.',
    }),
  },
  { $id: 'TrendingTopic' },
)
export type TrendingTopic = Static<typeof TrendingTopic>

export const TrendingTopicsResponse = Type.Object(
  { topics: Type.Array(TrendingTopic), next: NextCursor },
  { $id: 'TrendingTopicsResponse' },
)
export type TrendingTopicsResponse = Static<typeof TrendingTopicsResponse>
