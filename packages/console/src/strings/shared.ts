import en from './languages/en.ts';
import { setLocale } from './locale.ts';

/** What each language has a text for: no more, no less. */
export type Texts = typeof en;

/** The texts of what the console and the portal share: English in the console. */
export let text: Texts = en;

/** Modules keep texts: the portal calls this before it loads any that has some. */
export function setLanguage(texts: Texts, locale: string): void {
  text = texts;
  setLocale(locale);
}
