import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { searchOptions } from './browser/searchOptions.js';
import type { Passage } from './markdown.ts';
import type { Page } from './pages.ts';

/** The index that the pages load when a reader first searches. */
export function searchIndex(found: readonly { page: Page; title: string; passages: Passage[] }[]): string {
  const index = new MiniSearch(searchOptions);
  let id = 0;
  for (const { page, title, passages } of found) {
    for (const { heading, anchor, text } of passages) {
      const isTop = anchor === '';
      const location = `${page.path}${isTop ? '' : `#${anchor}`}`;
      const rank = rankOf(page) * (isTop ? 1.1 : 1);
      const excerpt = text.slice(0, 140);
      const shown = { location, title, heading: isTop ? title : heading, excerpt, section: page.section };
      index.add({ ...shown, id: id++, text, rank });
    }
  }
  return JSON.stringify(index);
}

/** Pages for readers who use the API come before pages that explain decisions. */
function rankOf({ path, code }: Page): number {
  if (path.startsWith('adr/') || path === 'changelog') return 0.3;
  if (path.startsWith('operate/alerts/')) return 0.6;
  return code ? 0.9 : 1;
}

/** Searches a built site as its pages do: returns the places found, best first. */
export function createSearch(folder: string): (query: string) => string[] {
  const index = MiniSearch.loadJSON(readFileSync(join(folder, 'search.json'), 'utf8'), searchOptions);
  return (query) => index.search(query).map(({ location }) => String(location));
}
