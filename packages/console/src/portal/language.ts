import * as en from '../strings/languages/en.ts';
import type { Texts } from '../strings/shared.ts';
import { storage } from '../ui/storage.ts';
import { setLanguage } from './strings.ts';

const english = 'en';
/** Each language beside English is a file of its own, read when it is chosen. */
const files = import.meta.glob<Texts>(['../strings/languages/*.ts', '!**/en.ts']);
const fileOf = (language: string) => `../strings/languages/${language}.ts`;

export const languages = [english, ...Object.keys(files).map((file) => file.replace(/^.*\/|\.ts$/g, ''))];

const place = 'language';
const isOf = (language: string) => (tag: string) => tag === language || tag.startsWith(`${language}-`);

/** What was chosen on the page, else the first that the browser asks for. */
export const language =
  [storage()?.getItem(place) ?? '', ...navigator.languages].flatMap(
    (tag) => languages.find((one) => isOf(one)(tag)) ?? [],
  )[0] ?? english;

/** Loads the texts of the language, which modules keep: to be called before those are loaded. */
export async function loadLanguage(): Promise<void> {
  const load = files[fileOf(language)];
  const texts = load ? await load() : en;
  document.documentElement.lang = language;
  // The region of the browser says how numbers and dates are written.
  setLanguage(texts, navigator.languages.find(isOf(language)) ?? language);
}

/** Null where the browser could not remember it. */
export const chooseLanguage =
  storage() &&
  ((chosen: string) => {
    storage()?.setItem(place, chosen);
    window.location.reload();
  });
