import { type Html, html } from '../../../platform/text/html.js'

/** The whole document of a page, with its style and script. Both have the same policy: nothing is inline. */
export function documentOf(
  { toAssets, script }: { readonly toAssets: string; readonly script: string },
  title: string,
  body: Html,
): string {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${toAssets}assets/approval.css">
<script type="module" src="${toAssets}assets/${script}"></script>
<main>${body}</main>
</html>
`.text
}
