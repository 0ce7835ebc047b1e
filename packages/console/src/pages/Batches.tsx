import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { read, type Schemas } from '../api.ts';
import { BatchList } from '../features/batches/list.tsx';
import { OrganizationField, organizationColumn } from '../features/organizations/organizations.tsx';
import { text } from '../strings.ts';
import { changed } from '../ui/filterBar.tsx';
import { Heading } from '../ui/heading.tsx';
import { useKeptFilters } from '../ui/lists.tsx';

/** The batches of all organizations, or of one. */
export function Batches() {
  const filters = useSearch({ from: '/batches' });
  const { organization } = filters;
  const navigate = useNavigate({ from: '/batches' });
  useKeptFilters('/batches', filters);
  const show = (search: typeof filters) => void navigate({ search, replace: true });
  return (
    <>
      <Heading title={text.batches.title} className="mb-4" />
      <BatchList<Schemas['AnyBatch']>
        filters={filters}
        onStatus={(chosen) => show(changed(filters, { status: chosen }))}
        onClear={() => show({})}
        read={(query) => read('/batches', { ...query, organization_id: organization })}
        link={({ organization_id, id }, name) => (
          <Link
            data-row
            to="/batches/$organization/$id"
            params={{ organization: organization_id, id }}
            className="block truncate font-medium"
          >
            {name}
          </Link>
        )}
        columns={organizationColumns}
      >
        <OrganizationField
          value={organization}
          onChange={(chosen) => show(changed(filters, { organization: chosen }))}
        />
      </BatchList>
    </>
  );
}

const organizationColumns = [organizationColumn('lg')];
