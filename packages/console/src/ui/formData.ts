/** The text of a field; empty if the form has none of this name. */
export const textIn = (form: FormData, name: string): string => String(form.get(name) ?? '');

/** The entries of a field that takes several, between spaces, lines or commas. */
export const listIn = (form: FormData, name: string): string[] =>
  textIn(form, name)
    .split(/[\s,]+/)
    .filter(Boolean);
