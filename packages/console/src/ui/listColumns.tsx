import { shared as en } from '../strings/languages/en.ts';
import { type Texts, text } from '../strings/shared.ts';
import { duration } from './format.ts';
import type { ListColumn } from './listTable.tsx';
import { Ago, Money, ShortId } from './values.tsx';

/** A name in the language of the page; programs know the column by the English one. */
export const columnName = (of: (texts: Texts['shared']) => string) => ({ name: of(text), key: of(en) });

type From = ListColumn<unknown>['from'] & string;

export const idColumn = (from: From): ListColumn<{ id: string }> => ({
  ...columnName(({ list }) => list.id),
  of: ({ id }) => <ShortId of={id} />,
  csv: ({ id }) => id,
  from,
  width: 'w-48',
});

export const costColumn = (from: From): ListColumn<{ cost: string | null }> => ({
  ...columnName(({ list }) => list.cost),
  of: ({ cost }) => <Money of={cost} />,
  csv: ({ cost }) => cost,
  order: ({ cost }) => Number(cost ?? -1),
  from,
  width: 'w-28',
  isNumber: true,
});

export const createdColumn: ListColumn<{ created_at: string }> = {
  ...columnName(({ list }) => list.created),
  of: ({ created_at: at }) => <Ago at={at} />,
  csv: ({ created_at: at }) => at,
  order: ({ created_at: at }) => Date.parse(at),
  from: 'sm',
  width: 'w-28',
  isNumber: true,
};

type Ended = { created_at: string; completed_at: string | null };

const lengthOf = ({ created_at: from, completed_at: to }: Ended) =>
  to === null ? null : Date.parse(to) - Date.parse(from);

export const durationColumn = (from: From): ListColumn<Ended> => ({
  ...columnName(({ list }) => list.duration),
  of: (row) => duration(lengthOf(row)),
  csv: lengthOf,
  order: (row) => lengthOf(row) ?? -1,
  from,
  width: 'w-24',
  isNumber: true,
});

type Failed = { error: { code: string } | null };

export const errorColumn = (from: From, width: string): ListColumn<Failed> => ({
  ...columnName(({ list }) => list.error),
  of: ({ error }) => <span className="text-soft text-xs">{error?.code}</span>,
  csv: ({ error }) => error?.code,
  from,
  width,
});
