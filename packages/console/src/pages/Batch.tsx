import { Link, useParams } from '@tanstack/react-router';
import { change, read } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { BatchPage } from '../features/batches/page.tsx';
import { fileUrl } from '../features/executions/files.tsx';
import { OrganizationLink } from '../features/organizations/organizations.tsx';
import { text } from '../strings.ts';
import { keptFilters } from '../ui/lists.tsx';

/** A batch, with what operators of the role `admin` may do with it. */
export function Batch() {
  const { organization, id } = useParams({ from: '/batches/$organization/$id' });
  const missingRole = useMissingRole('admin');
  const path = `/organizations/${encodeURIComponent(organization)}/batches/${encodeURIComponent(id)}`;
  const back = (
    <span className="flex gap-3">
      <Link to="/batches" search={keptFilters('/batches')} className="hover:underline">
        {`← ${text.batches.title}`}
      </Link>
      <OrganizationLink id={organization} isInline />
    </span>
  );
  return (
    <BatchPage
      id={id}
      back={back}
      read={() => read(path)}
      post={
        missingRole === null ? (action, body) => change('POST', `${path}/${action}`, body && { body }) : null
      }
      urlOf={(file) => fileUrl(organization, file)}
    />
  );
}
