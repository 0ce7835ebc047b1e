import { Link, useParams } from '@tanstack/react-router';
import { change, read } from '../api.ts';
import { useMissingRole } from '../features/access/session.tsx';
import { BatchPage } from '../features/batches/page.tsx';
import { fileUrl } from '../features/executions/files.tsx';
import { text } from '../strings.ts';

/** A batch, with what operators of the role `admin` may do with it. */
export function Batch() {
  const { id, batch } = useParams({ from: '/organizations/$id/batches/$batch' });
  const missingRole = useMissingRole('admin');
  const path = `/organizations/${encodeURIComponent(id)}/batches/${encodeURIComponent(batch)}`;
  const back = (
    <Link to="/organizations/$id/batches" params={{ id }} className="hover:underline">
      {`← ${text.batches.title}`}
    </Link>
  );
  return (
    <BatchPage
      id={batch}
      back={back}
      read={() => read(path)}
      post={
        missingRole === null ? (action, body) => change('POST', `${path}/${action}`, body && { body }) : null
      }
      urlOf={(file) => fileUrl(id, file)}
    />
  );
}
