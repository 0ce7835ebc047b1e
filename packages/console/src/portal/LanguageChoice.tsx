import { chooseLanguage, language, languages } from './language.ts';
import { words } from './strings.ts';

/** Each language by its own name. */
const nameOf = (code: string) => new Intl.DisplayNames([code], { type: 'language' }).of(code);

/** Loads the page again in the language that is chosen. */
export function LanguageChoice() {
  if (chooseLanguage === null || languages.length < 2) return null;
  return (
    <select
      aria-label={words.language}
      value={language}
      onChange={({ currentTarget }) => chooseLanguage?.(currentTarget.value)}
      className="rounded-md border border-line bg-card px-2 py-1 text-soft text-xs"
    >
      {languages.map((one) => (
        <option key={one} value={one} lang={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  );
}
