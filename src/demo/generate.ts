import { type DemoItem, finishDraft } from './draft.js'
import type { DemoOptions } from './options.js'
import { simulate } from './simulation.js'
import { World } from './world.js'

/**
 * The items of a demo network in an order in which a hub accepts them all: users join before they speak, casts
 * stand before they are answered, and everything is really signed. The same options give the same bytes.
 * What is held in memory grows with users and follows, not with casts and reactions.
 *
 * @param skip so many items are passed, at a fraction of the time that it takes to make them.
 */
export async function* generateDemo(options: DemoOptions, skip = 0): AsyncGenerator<DemoItem> {
  const world = new World(options)
  let passed = 0
  for (const draft of simulate(world)) {
    if (passed < skip) passed += 1
    else yield await finishDraft(draft, world.keys)
  }
}
