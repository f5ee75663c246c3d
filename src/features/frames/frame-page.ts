import { html } from '../../platform/text/html.js'
import type { HostedFramePage } from './schema/hosted-frame.js'

type Button = NonNullable<HostedFramePage['buttons']>[number]

/**
 * Renders a page of a hosted frame: the tags of the first protocol, and its picture for browsers.
 *
 * A button posts to the page that it opens, so that no action has to be read: the answer depends on its URL only.
 *
 * @param link The URL of the frame.
 */
export function framePageHtml(page: HostedFramePage, link: string): string {
  const here = `${link}/${page.uuid}`
  const buttons = (page.buttons ?? []).toSorted((a, b) => a.index - b.index)
  const tags: [string, string][] = [
    ['og:title', page.title],
    ['og:image', page.image.url],
    ['fc:frame', page.version],
    ['fc:frame:image', page.image.url],
    ['fc:frame:image:aspect_ratio', page.image.aspect_ratio],
    ['fc:frame:post_url', here],
    ...(page.input?.text?.enabled
      ? [['fc:frame:input:text', page.input.text.placeholder ?? ''] as [string, string]]
      : []),
    ...buttons.flatMap((button) => buttonTags(button, link, here)),
  ]
  const head = tags.map(([name, content]) => html`<meta property="${name}" content="${content}">\n`)
  return html`<!doctype html><meta charset="utf-8">
<title>${page.title}</title>
${head}<img src="${page.image.url}" alt="${page.title}">`.text
}

function buttonTags(button: Button, link: string, here: string): [string, string][] {
  const name = `fc:frame:button:${button.index}`
  const target = targetOf(button, link, here)
  return [
    [name, button.title],
    [`${name}:action`, button.action_type],
    ...(target === undefined ? [] : [[`${name}:target`, target] as [string, string]]),
  ]
}

function targetOf({ action_type, index, next_page: next }: Button, link: string, here: string) {
  switch (action_type) {
    case 'post':
      return next?.uuid && `${link}/${next.uuid}`
    case 'post_redirect':
      return `${here}/${index}`
    case 'link':
      return next?.redirect_url
    case 'mint':
      return next?.mint_url
  }
}
