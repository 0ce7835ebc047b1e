import { createHash } from 'node:crypto';
import { colorSheet, mark } from '@holdfast/kit/brand';
import { type Html, html } from '@holdfast/kit/html';
import type { Response } from 'express';

const style = `${colorSheet}
body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;background:var(--page);color:var(--ink)}
svg{width:3.5rem;height:3.5rem}h1{margin:.5rem 0;letter-spacing:-.02em}a{color:var(--accent);text-underline-offset:.2em}li{margin:.3rem 0}progress{width:100%;accent-color:var(--accent)}`;
const styleHash = createHash('sha256').update(style).digest('base64');
const icon = `data:image/svg+xml;base64,${Buffer.from(mark).toString('base64')}`;
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; frame-ancestors 'none'`;

/** Sends a page that needs no file besides itself. */
export function sendPlainPage(response: Response, title: string, body: Html): void {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<style>${{ markup: style }}</style>
</head>
<body>
<main>
${{ markup: mark.trim() }}
${body}
</main>
</body>
</html>
`;
  response.set('Content-Security-Policy', policy).type('html').send(page.markup);
}
