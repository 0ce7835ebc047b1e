import { Link, useParams } from '@tanstack/react-router';
import { BatchPage } from '../../features/batches/page.tsx';
import { text } from '../../strings/shared.ts';
import { keptFilters } from '../../ui/lists.tsx';
import { apiBase, change, read } from '../api.ts';
import { useMay } from '../session.tsx';

export function Batch() {
  const { id } = useParams({ from: '/batches/$id' });
  const may = useMay();
  const path = `/batches/${encodeURIComponent(id)}`;
  const back = (
    <Link to="/batches" search={keptFilters('/batches')} className="hover:underline">
      {`← ${text.batches.title}`}
    </Link>
  );
  return (
    <BatchPage
      id={id}
      back={back}
      read={() => read(path)}
      post={
        may('executions', 'executions:write')
          ? (action, body) => change('POST', `${path}/${action}`, body && { body })
          : null
      }
      urlOf={may('executions', 'files') ? (file) => `${apiBase}/files/${file}/download` : null}
    />
  );
}
