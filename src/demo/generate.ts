import { type DemoItem, finishDraft } from './draft.js'
import type { DemoOptions } from './options.js'
import { simulate } from './simulation.js'
import { World } from './world.js'

/**
 * Generates the items of a demo network in an order that a hub accepts: users join before they cast, and
 * casts precede their replies. Every item is signed. The same options give the same bytes. Memory grows with
 * users and follows, not with casts and reactions.
 *
 * @param skip Number of items to skip, which takes a fraction of the time of creating them.
 */
export async function* generateDemo(options: DemoOptions, skip = 0): AsyncGenerator<DemoItem> {
  const world = new World(options)
  let passed = 0
  for (const draft of simulate(world)) {
    if (passed < skip) passed += 1
    else yield await finishDraft(draft, world.keys)
  }
}
