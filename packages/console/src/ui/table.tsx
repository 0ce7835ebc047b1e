import type { ReactNode } from 'react';
import { SortableHead, useSorted } from './sorting.tsx';

/** `order`: what a click on the column's name sorts by, the largest first. */
type Column<Row> = { name: string; of: (row: Row) => ReactNode; order?: (row: Row) => number };

const head = 'py-1.5 font-medium text-soft text-xs';
const stackedCell =
  '@max-sm:p-0 @max-sm:text-left @max-sm:before:block @max-sm:before:text-soft @max-sm:before:font-normal @max-sm:before:text-xs @max-sm:before:content-[attr(data-column)]';

/** The first column names the row. In a narrow card, the others stack below it, each with the name of its column. */
export function Table<Row>(props: {
  caption: string;
  columns: readonly [Column<Row>, ...Column<Row>[]];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  lookOf?: (row: Row) => string;
}) {
  const { caption, columns, rows: given, keyOf, lookOf } = props;
  const [first, ...others] = columns;
  const { rows, ...sorting } = useSorted(given, columns);
  return (
    <div className="@container overflow-x-auto">
      <table className="w-full text-left @max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="@max-sm:sr-only">
          <tr className="border-line border-b">
            <th scope="col" className={head}>
              {first.name}
            </th>
            {others.map((column) => (
              <SortableHead
                key={column.name}
                column={column}
                {...sorting}
                className={`${head} pl-4 text-right`}
              />
            ))}
          </tr>
        </thead>
        <tbody className="@max-sm:block">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`border-line border-b align-top last:border-0 @max-sm:flex @max-sm:flex-wrap @max-sm:gap-x-3 @max-sm:gap-y-1 @max-sm:py-2 @max-sm:first:pt-0 ${lookOf?.(row) ?? ''}`}
            >
              <th scope="row" className="py-1.5 text-left [font-weight:inherit] @max-sm:w-full @max-sm:p-0">
                {first.of(row)}
              </th>
              {others.map(({ name, of }) => (
                <td
                  key={name}
                  data-column={name}
                  className={`py-1.5 pl-4 text-right whitespace-nowrap tabular-nums ${stackedCell}`}
                >
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
