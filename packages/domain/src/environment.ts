/** The colors in which the console shows the name of the environment. */
export const environmentColors = ['red', 'amber', 'green', 'blue', 'grey'] as const;

export type Environment = { name: string; color: (typeof environmentColors)[number] };

const form = new RegExp(
  `^([\\p{L}\\p{N}][\\p{L}\\p{N} ._-]{0,23})(?::(${environmentColors.join('|')}))?$`,
  'u',
);

/** A name that begins so has this color. */
const defaultColors = [
  [/^(prod|live)/i, 'red'],
  [/^(stag|test|qa|uat|pre)/i, 'amber'],
  [/^(dev|local)/i, 'green'],
] as const;

/** Reads `ENVIRONMENT_NAME`: a name, or `name:color`. Null: it is neither. */
export function parseEnvironment(text: string): Environment | null {
  const [, name, color] = form.exec(text) ?? [];
  if (name === undefined) return null;
  const byName = defaultColors.find(([start]) => start.test(name));
  return { name, color: (color as Environment['color'] | undefined) ?? byName?.[1] ?? 'blue' };
}
