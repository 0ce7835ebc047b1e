import { setShared, type Texts } from '../strings/shared.ts';

/** The texts of the portal alone. */
export let words: Texts['portal'];

/** Modules keep texts: this is called before any is loaded that has some. */
export function setLanguage({ shared, portal }: Texts, locale: string): void {
  words = portal;
  setShared(shared, locale);
}
