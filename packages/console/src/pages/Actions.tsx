import { read, type Schemas } from '../api.ts';
import { text } from '../strings.ts';
import { Heading } from '../ui/heading.tsx';
import { List, More, usePages } from '../ui/lists.tsx';
import { Empty } from '../ui/states.tsx';
import { Id, Time } from '../ui/values.tsx';

export function Actions() {
  const pages = usePages(['actions'], (cursor) =>
    read<Schemas['AdminActionPage']>('/actions', { limit: 50, cursor }),
  );
  return (
    <>
      <Heading title={text.actions.title} className="mb-4" />
      <div className="rounded-lg border border-line bg-card">
        <List pages={pages} empty={<Empty title={text.actions.empty} />}>
          {(rows) => (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <li
                  key={row.id}
                  className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3"
                >
                  <div className="min-w-0">
                    <p className="break-all font-mono text-xs">{row.action}</p>
                    <p className="text-soft">
                      <span className="font-medium text-ink">{row.actor}</span> {row.address}{' '}
                      {row.target && <Id of={row.target} />}{' '}
                      {row.organization_id && <Id of={row.organization_id} />}
                    </p>
                  </div>
                  <p className="text-right">
                    <span className={(row.status ?? 500) >= 400 ? 'text-bad' : 'text-good'}>
                      {row.status ?? '–'}
                    </span>
                    <span className="ml-3 text-soft">
                      <Time at={row.at} />
                    </span>
                  </p>
                </li>
              ))}
            </ul>
          )}
        </List>
      </div>
      <More pages={pages} />
    </>
  );
}
