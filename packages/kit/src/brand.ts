import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const read = (name: string) => readFileSync(resolve(`@holdfast/domain/brand/${name}`), 'utf8');

/** The mark of Holdfast, as SVG. */
export const mark = read('mark.svg');

/** The style sheet with the colors of every page. */
export const colorSheet = read('colors.css');

/** A color of the style sheet, such as `accent`, as `#0f766e`. @throws for an unknown name */
export function brandColor(name: string, scheme: 'light' | 'dark'): string {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(colorSheet) ?? [];
  const found = scheme === 'light' ? light : dark;
  if (found === undefined) throw new Error(`There is no color ${name}`);
  return found;
}
