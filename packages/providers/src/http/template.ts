const placeholder = /\{\{\s*([a-z_]\w*(?:\.[\w-]+)*)\s*\}\}/gi;
const whole = new RegExp(`^${placeholder.source}$`, 'i');

export type Values = Record<string, unknown>;

/** A placeholder alone keeps its type or is omitted; inside a text it becomes text. Not recursive: values are data. */
export function fill(template: unknown, values: Values): unknown {
  if (typeof template === 'string') {
    const name = whole.exec(template)?.[1];
    return name === undefined ? fillText(template, values, textOf) : valueAt(values, name);
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, values) ?? null);
  if (template === null || typeof template !== 'object') return template;
  const filled = Object.entries(template).map(([name, one]) => [name, fill(one, values)] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** Null when a value would lead to another path. */
export function fillPath(template: string, values: Values): string | null {
  const path = fillText(template, values, (value) => encodeURIComponent(textOf(value).toWellFormed()));
  const steps = path.split(/[?#]/, 1)[0]?.split('/') ?? [];
  return steps.some((step) => step === '.' || step === '..') ? null : path;
}

export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...template.matchAll(placeholder)].map(([, name = '']) => name);
  if (template === null || typeof template !== 'object') return [];
  return Object.values(template).flatMap(placeholdersIn);
}

function fillText(template: string, values: Values, write: (value: unknown) => string): string {
  return template.replace(placeholder, (_all, name: string) => write(valueAt(values, name)));
}

function valueAt(values: Values, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>(
      (at, step) =>
        at !== null && typeof at === 'object' && Object.hasOwn(at, step) ? (at as Values)[step] : undefined,
      values,
    );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
