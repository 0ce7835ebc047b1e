import { priceLines, priceLineText } from '../../../../domain/src/priceLines.ts';
import type { Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import type { Definition } from './models.ts';

/** What a run costs, in one line. */
export function priceOf({ price }: Pick<Definition, 'price'>): string {
  const lines = priceLines(price as Parameters<typeof priceLines>[0])
    .map(priceLineText)
    .join(' + ');
  return price['cost_from_provider'] === true ? text.models.providersCost(lines) : lines;
}

/** The services that are found by their key alone; other connections need a URL. */
const hosted: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  replicate: 'REPLICATE_API_TOKEN',
  fal: 'FAL_KEY',
};

export function whyNotOffered({ active, providers }: Pick<Definition, 'active' | 'providers'>): string {
  if (!active) return text.models.withdrawn;
  const names = providers.map(
    ({ connection }) => hosted[connection] ?? `${connection.toUpperCase()}_BASE_URL`,
  );
  return text.models.unconfigured([...new Set(names)].join(' or '));
}

type Counts = Schemas['ModelActivity']['last_24_hours'];

/** The share that failed of what ended with a result or a failure, in percent; `isPartial`: at least that. Null: nothing did. */
export function failureRate({ completed, failed }: Counts, isPartial: boolean): string | null {
  const all = completed + failed;
  if (all === 0) return null;
  const percent = (failed / all) * 100;
  if (!isPartial && percent > 0 && percent < 0.1) return '< 0.1 %';
  const shown = percent.toLocaleString(undefined, { maximumFractionDigits: 1 });
  return `${isPartial ? '≥ ' : ''}${shown} %`;
}
