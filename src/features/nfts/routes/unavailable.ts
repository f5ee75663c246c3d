import { Type } from '@sinclair/typebox'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'

/** The body and the reply of operations that are always 501. */
export const notServed = Type.Object({})

/** `POST nft/image` */
export const generateImage = defineOperation({
  method: 'POST',
  path: 'nft/image',
  tag: 'Onchain',
  summary: 'Generate AI image',
  description: 'Always 501: this server has no model that makes images.',
  body: notServed,
  ignoresBody: true,
  reply: notServed,

  async handle() {
    throw new PlazaError('not_implemented', 'POST nft/image: this server has no model that makes images')
  },
})

/** `POST /v2/fungible` */
export const deployFungible = defineOperation({
  method: 'POST',
  path: '/fungible',
  tag: 'Onchain',
  summary: 'Deploy fungible',
  description:
    'Always 501: the launch factories of the operation are contracts of third parties, and a plain ERC-20 would be ' +
    'another product.',
  body: notServed,
  ignoresBody: true,
  reply: notServed,

  async handle() {
    throw new PlazaError(
      'not_implemented',
      'POST /v2/fungible: it deploys through launch factories of third parties, which this server does not use',
    )
  },
})
