import type { Static, TSchema } from '@sinclair/typebox'

/**
 * A type of the published client as the specification means it: with the unions that the
 * client's generator has merged into one interface (an embed is a cast or a URL; a frame is of version 1 or 2)
 * taken apart again.
 */
type Published<Type> = Type extends readonly (infer Item)[]
  ? Published<Item>[]
  : Type extends object
    ? 'cast' | 'url' extends keyof Type
      ? PublishedObject<Only<Type, 'cast' | 'cast_id'>> | PublishedObject<Only<Type, 'url' | 'metadata'>>
      : 'buttons' | 'manifest' extends keyof Type
        ? PublishedObject<Without<Type, FrameV2Members>> | PublishedObject<Without<Type, FrameV1Members>>
        : PublishedObject<Type>
    : Type

type FrameV1Members = 'buttons' | 'image_aspect_ratio' | 'input' | 'post_url' | 'state'
type FrameV2Members = 'author' | 'manifest' | 'metadata'

type Only<Type, Name> = { [Member in keyof Type as Member extends Name ? Member : never]: Type[Member] }
type Without<Type, Name> = { [Member in keyof Type as Member extends Name ? never : Member]: Type[Member] }
type PublishedObject<Type> = { [Member in keyof Type]: Published<Type[Member]> }

/** The type with every member required, however deep: what is missing here was forgotten. */
type Complete<Type> = Type extends readonly (infer Item)[]
  ? Complete<Item>[]
  : Type extends object
    ? { [Member in keyof Type]-?: Complete<Type[Member]> }
    : Type

type Conforms<Ours, Theirs> = Ours extends Theirs
  ? Complete<Ours> extends Complete<Theirs>
    ? unknown
    : { problem: 'a member of the client’s type is missing' }
  : { problem: 'not assignable to the client’s type' }

/**
 * Does not compile unless what the schema describes is assignable to the client's type and leaves no member of it
 * out: `published<Client.User>()(User)`.
 */
export function published<Theirs>() {
  return <Schema extends TSchema>(schema: Schema & Conforms<Static<Schema>, Published<Theirs>>): TSchema =>
    schema
}

type Accepts<Body, Theirs> =
  Complete<Theirs> extends Complete<Body>
    ? Theirs extends Body
      ? unknown
      : { problem: 'the client may send what the schema refuses' }
    : { problem: 'the client knows a member that the schema does not' }

/**
 * Does not compile unless whatever the client's type of a body allows is assignable to what the schema describes:
 * `accepted<Client.PostCastReqBody>()(PostCastReqBody)`.
 */
export function accepted<Theirs>() {
  return <Schema extends TSchema>(schema: Schema & Accepts<Static<Schema>, Theirs>): TSchema => schema
}
