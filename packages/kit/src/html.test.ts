import { expect, it } from '@jest/globals';
import { html } from './html.ts';

it('a template escapes its values, and not its markup', () => {
  expect(html`<p title="${'"'}">${'<script>'}</p>`.markup).toBe('<p title="&#34;">&#60;script&#62;</p>');
  expect(html`${html`<b>${1}</b>`}${false}`.markup).toBe('<b>1</b>');
});
