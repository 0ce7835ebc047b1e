import { useState } from 'react';

type Ordered<Row> = { name: string; order?: ((row: Row) => number) | undefined };
type Sorting = { by: string; isRising: boolean } | null;

/** The rows in the order that a click on a column's name asked for, the largest first; as given before that. */
export function useSorted<Row>(given: readonly Row[], columns: readonly Ordered<Row>[]) {
  const [sorting, setSorting] = useState<Sorting>(null);
  const order = columns.find(({ name }) => name === sorting?.by)?.order;
  const sign = sorting?.isRising ? 1 : -1;
  const rows = order ? given.toSorted((a, b) => sign * (order(a) - order(b))) : given;
  return { rows, sorting, setSorting };
}

/** A column's name in the head of a table, which sorts if the column has an order. */
export function SortableHead<Row>(props: {
  column: Ordered<Row>;
  sorting: Sorting;
  setSorting: (sorting: Sorting) => void;
  className: string;
}) {
  const { column, sorting, setSorting, className } = props;
  const { name, order } = column;
  const direction = sorting?.by !== name ? undefined : sorting.isRising ? 'ascending' : 'descending';
  const sort = () => setSorting({ by: name, isRising: direction === 'descending' });
  return (
    <th scope="col" aria-sort={direction} className={className}>
      {order ? (
        <button type="button" onClick={sort} className="hover:underline">
          {name}
          {direction && <span aria-hidden="true">{sorting?.isRising ? ' ↑' : ' ↓'}</span>}
        </button>
      ) : (
        name
      )}
    </th>
  );
}
