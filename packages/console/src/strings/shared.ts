import { shared as en, type portal } from './languages/en.ts';
import { setLocale } from './locale.ts';

/** What each language has a text for: no more, no less. */
export type Texts = { shared: typeof en; portal: typeof portal };

/** The texts of what the console and the portal share: English in the console. */
export let text: Texts['shared'] = en;

/** Modules keep texts: the portal calls this before it loads any that has some. */
export function setShared(texts: Texts['shared'], locale: string): void {
  text = texts;
  setLocale(locale);
}
