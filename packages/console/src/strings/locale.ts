/** The language and region that numbers, amounts and times are written in; without one, the browser's. */
export let locale: string | undefined;

export function setLocale(chosen: string): void {
  locale = chosen;
}

export const number = (value: number, fraction?: Intl.NumberFormatOptions): string =>
  value.toLocaleString(locale, fraction);

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The form of a text that a language has for a number, which stands where the form has `#`. */
export function pluralsOf(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', number(count));
}
