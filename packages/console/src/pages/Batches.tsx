import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { read } from '../api.ts';
import { BatchList } from '../features/batches/list.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { text } from '../strings.ts';
import { changed } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';

const at = '/organizations/$id/batches';

/** The batches of an organization. */
export function Batches() {
  const { id } = useParams({ from: at });
  const filters = useSearch({ from: at });
  const navigate = useNavigate({ from: at });
  return (
    <>
      <nav className="mb-3 text-soft">
        <OrganizationLink id={id} />
      </nav>
      <Heading title={text.batches.title} className="mb-4" />
      <BatchList
        organizationId={id}
        status={filters.status}
        onStatus={(status) => void navigate({ search: changed(filters, { status }), replace: true })}
        read={(query) => read(`/organizations/${encodeURIComponent(id)}/batches`, query)}
        link={(batch, name) => (
          <Link
            data-row
            to="/organizations/$id/batches/$batch"
            params={{ id, batch: batch.id }}
            className="block truncate font-medium"
          >
            {name}
          </Link>
        )}
      />
    </>
  );
}
