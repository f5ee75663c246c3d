/** Something that people of the demo network talk about. Its id is also its channel. */
export interface Topic {
  readonly id: string
  /** How many people care, relative to other topics. */
  readonly weight: number
  readonly emoji: readonly string[]
  /** What `{name}` in its texts may become. */
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly posts: readonly string[]
  /** What its people say of themselves. */
  readonly bios: readonly string[]
  /** Pages that are shared: path segments below the topic's site. */
  readonly pages: readonly string[]
}
