/** Small talk of one language: what is said about nothing in particular, and to each other. */
export interface Chatter {
  /** ISO 639-1. */
  readonly language: string
  readonly posts: readonly string[]
  readonly replies: readonly string[]
  /** Said above a quoted cast. */
  readonly quotes: readonly string[]
  /** Said of a picture or a link below. */
  readonly captions: readonly string[]
  /** A second sentence after anything. */
  readonly tails: readonly string[]
  /** `{@}` is where somebody is mentioned. */
  readonly mentions: readonly string[]
  readonly bios: readonly string[]
}
