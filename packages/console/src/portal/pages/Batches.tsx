import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { BatchList } from '../../features/batches/list.tsx';
import { text } from '../../strings/shared.ts';
import { changed } from '../../ui/filterBar.tsx';
import { Heading } from '../../ui/heading.tsx';
import { useKeptFilters } from '../../ui/lists.tsx';
import { read } from '../api.ts';

export function Batches() {
  const filters = useSearch({ from: '/batches' });
  const navigate = useNavigate({ from: '/batches' });
  useKeptFilters('/batches', filters);
  return (
    <>
      <Heading title={text.batches.title} className="mb-4" />
      <BatchList
        filters={filters}
        onStatus={(status) => void navigate({ search: changed(filters, { status }), replace: true })}
        onClear={() => void navigate({ search: {}, replace: true })}
        read={(query) => read('/batches', query)}
        link={({ id }, name) => (
          <Link data-row to="/batches/$id" params={{ id }} className="block truncate font-medium">
            {name}
          </Link>
        )}
      />
    </>
  );
}
