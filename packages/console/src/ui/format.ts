import { locale, number } from '../strings/locale.ts';

const hundredths = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${number(ms / 1000, hundredths)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An age in its largest unit: `3 min`. */
export function age(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

const relative = new Intl.RelativeTimeFormat(locale ?? 'en', { style: 'narrow' });
const dated = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const units = [
  ['second', 60],
  ['minute', 3600],
  ['hour', 86_400],
  ['day', 7 * 86_400],
] as const;

/** `3m ago`; after a week, the date in the viewer's zone. */
export function ago(then: Date, nowMs: number): string {
  const seconds = Math.max(0, Math.floor((nowMs - then.getTime()) / 1000));
  const at = units.findIndex(([, end]) => seconds < end);
  const unit = units[at];
  if (!unit) return dated.format(then);
  return relative.format(-Math.floor(seconds / (units[at - 1]?.[1] ?? 1)), unit[0]);
}

/** With a decimal below 10 %, where it tells most. */
export const percent = (share: number): string =>
  `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** Rounded down: 1,999 of 2,000 is not 100 %. */
export const flooredPercent = (share: number): string => `${Math.floor(share * 1000) / 10} %`;

const exact = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 20 });

/** An amount to its last digit, as the language writes it; in the console as the API does, which its forms expect. */
export const amountText = (amount: string): string =>
  locale === undefined ? amount : exact.format(amount as `${number}`);

/** With its sign; empty for no change. */
export function changeText(by: string): string {
  if (/^-?0(\.0*)?$/.test(by)) return '';
  return by.startsWith('-') ? by : `+${by}`;
}
