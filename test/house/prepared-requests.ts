import { eip712 } from '@farcaster/core'
import { createSiweMessage } from 'viem/siwe'
import { expect } from 'vitest'
import { newAccount, registrationRequest } from '../../src/features/accounts/testing/new-account.js'
import { signKeyRequestBody } from '../../src/features/signers/testing/key-holder.js'
import { newPrivateKey } from '../../src/hub/registry/eth-account.js'
import { encodeMessage } from '../../src/protocol/codec.js'
import { FarcasterNetwork, FrameActionBody, MessageType } from '../../src/protocol/definitions.js'
import { signJson } from '../../src/protocol/json-signature.js'
import { testNow, testNowUnix } from '../network.js'
import type { Scene } from './scene.js'

/** No request goes to this address. */
export const WEBHOOK_URL = 'https://hooks.plaza.social/in'
const FRAME_URL = 'https://frames.plaza.social/tulips'

/** The custody address of the account in the notation of the API. */
export function custodyOf({ custody }: Scene['alice']): string {
  return `0x${custody.toString('hex')}`
}

/** A developer's key and its signed request. */
export async function prepareKeyRequest({ app, deadline }: Scene) {
  const public_key = `0x${newPrivateKey().toString('hex')}`
  return { public_key, ...(await signKeyRequestBody(app, public_key, deadline)) }
}

/** A developer's address and its signed request. */
export async function prepareAddressRequest({ app, deadline }: Scene) {
  const digits = newPrivateKey().toString('hex', 0, 20)
  return {
    address: `0x${digits}`,
    ...(await signKeyRequestBody(app, `0x${'00'.repeat(12)}${digits}`, deadline)),
  }
}

/** Signs a Sign-In with Ethereum message. */
export async function signIn({ api, app }: Scene) {
  const { nonce } = (await api.get('login/nonce')).json()
  const { signer } = app.account
  const message = createSiweMessage({
    address: signer.address,
    chainId: 10,
    domain: 'app.example',
    nonce,
    uri: 'https://app.example/login',
    version: '1',
    issuedAt: new Date(testNowUnix * 1000),
  })
  return { message, signature: await signer.signMessage({ message }) }
}

/** Alice invites a user to the channel. */
export async function invite({ api, signerUuid }: Scene, fid: number, role: string): Promise<void> {
  const requestBody = { signer_uuid: signerUuid, channel_id: 'gardens', role, fid }
  expect((await api.send('POST', 'channel/member/invite', requestBody)).statusCode).toBe(200)
}

/** Creates a webhook. */
export async function makeWebhook({ api }: Scene) {
  const { webhook } = (await api.send('POST', 'webhook', { name: 'mine', url: WEBHOOK_URL })).json()
  return { webhook_id: webhook.webhook_id }
}

/** A webhook that receives a sample. */
export async function testWebhook(scene: Scene) {
  const made = await makeWebhook(scene)
  expect((await scene.api.send('POST', 'webhook/test', made)).statusCode).toBe(200)
  return made
}

/** Alice enables notifications of a mini app of this server. */
export async function enableEvent({ alice, miniAppDomain }: Scene) {
  return { app_domain: miniAppDomain, fid: alice.fid, event: 'notifications_enabled' }
}

/** Alice has enabled them. */
export async function enableMiniApp(scene: Scene) {
  const requestBody = { signer_uuid: scene.signerUuid, ...(await enableEvent(scene)) }
  expect((await scene.api.send('POST', 'app_host/user/event', requestBody)).statusCode).toBe(200)
  return { fid: scene.alice.fid }
}

/** A client has granted a token to the calling app. */
export async function grantToken({ api, alice }: Scene) {
  const notificationDetails = { url: 'https://client.plaza.social/notify', token: 'token' }
  const payload = { event: 'notifications_enabled', notificationDetails }
  const reply = await api.app.inject({
    method: 'POST',
    url: `/f/app/${api.appId}/event`,
    payload: signJson(alice.fid, alice.key, payload),
  })
  expect(reply.statusCode).toBe(200)
  return {}
}

/** The calling app sends a notification; the client does not reply. */
export async function sendOwnNotification(scene: Scene) {
  await grantToken(scene)
  const target_url = `https://${scene.ownMiniAppDomain}/`
  return { notification: { title: 'Hi', body: 'there', target_url }, target_fids: [scene.alice.fid, 2] }
}

/** The finished campaign of such a notification. */
export async function createOwnCampaign(scene: Scene) {
  const reply = await scene.api.send('POST', 'frame/notifications', await sendOwnNotification(scene))
  return { campaign_id: reply.json().campaign_id }
}

/** The mini app has notified alice. */
export async function notifyByMiniApp(scene: Scene) {
  const { api, alice, miniAppDomain } = scene
  const details = (await api.get('app_host/user/event', await enableEvent(scene))).json().notificationDetails
  const event = { event: 'notifications_enabled', notificationDetails: details }
  const sent = { app_domain: miniAppDomain, signed_message: signJson(alice.fid, alice.key, event) }
  expect((await api.send('POST', 'app_host/user/event', sent)).statusCode).toBe(200)
  const notificationPayload = {
    notificationId: 'hi',
    title: 'Hi',
    body: 'there',
    targetUrl: `https://${miniAppDomain}/`,
  }
  const reply = await api.app.inject({
    method: 'POST',
    url: '/f/host/notifications',
    payload: { ...notificationPayload, tokens: [details.token] },
  })
  expect(reply.json().result.successfulTokens).toEqual([details.token])
  return { fid: alice.fid }
}

/** Alice presses a button of a frame. */
export function pressButton({ alice, castHash }: Scene) {
  const hash = Buffer.from(castHash.slice(2), 'hex')
  const frameActionBody = FrameActionBody.fromPartial({
    url: Buffer.from(FRAME_URL),
    buttonIndex: 1,
    castId: { fid: alice.fid, hash },
  })
  const message = alice.message({ type: MessageType.FRAME_ACTION, frameActionBody }, testNow - 10)
  return { message_bytes_in_hex: encodeMessage(message).toString('hex') }
}

/** The calling app has validated it. */
export async function validateFrame(scene: Scene) {
  expect((await scene.api.send('POST', 'frame/validate', pressButton(scene))).json().valid).toBe(true)
  return {
    frame_url: FRAME_URL,
    analytics_type: 'interactors',
    start: new Date((testNowUnix - 60) * 1000).toISOString(),
    stop: new Date((testNowUnix + 60) * 1000).toISOString(),
  }
}

/** A frame that the server hosts. */
export const hostedFrame = {
  name: 'Garden',
  pages: [
    {
      uuid: '00000000-0000-4000-8000-000000000001',
      title: 'Garden',
      image: { url: 'https://example.com/garden.png', aspect_ratio: '1:1' },
      buttons: [],
    },
  ],
}

/** The calling app has one. */
export async function hostFrame({ api }: Scene) {
  const { uuid } = (await api.send('POST', 'frame', hostedFrame)).json()
  return { uuid }
}

/** A button of the served frame. */
export function frameActionOf({ pageUrl }: Scene) {
  return { frames_url: pageUrl, post_url: pageUrl, button: { index: 1, action_type: 'post' } }
}

/** An address with a verification for alice. */
export async function claimAddress({ app, alice, signerUuid }: Scene) {
  const { signer } = app.account
  const blockHash = `0x${'b1'.repeat(32)}` as const
  const eth_signature = await signer.signTypedData({
    domain: eip712.EIP_712_FARCASTER_DOMAIN,
    types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
    primaryType: 'VerificationClaim',
    message: { fid: BigInt(alice.fid), address: signer.address, blockHash, network: FarcasterNetwork.DEVNET },
  })
  return { signer_uuid: signerUuid, address: signer.address, block_hash: blockHash, eth_signature }
}

/** Alice blocks a user. */
export function blockBody({ app, signerUuid }: Scene) {
  return { signer_uuid: signerUuid, blocked_fid: app.fid }
}

/** Alice mutes a user. */
export function muteBody({ app }: Scene) {
  return { fid: 1, muted_fid: app.fid }
}

/** The earlier request of `POST path`. */
export async function prepareRequest<Body extends object>(
  { api }: Scene,
  path: string,
  body: Body,
): Promise<Body> {
  const reply = await api.send('POST', path, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return body
}

/** A registration of the next fid of the pool, with a name and a generated signer. */
export async function registerNewcomer({ api, walletId, deadline }: Scene) {
  const reply = await api.get('user/fid', {}, { 'x-wallet-id': walletId })
  return {
    ...(await registrationRequest(newAccount(), { fid: reply.json().fid, deadline })),
    fname: 'newcomer',
  }
}
