import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { change, read, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Confirmed, Dialog } from '../../ui/dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';
import { List, More, usePages } from '../../ui/lists.tsx';
import { ShownOnce } from '../../ui/secret.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { useRefusal } from '../access/session.tsx';
import { SpendLimit } from '../money/spendLimit.tsx';
import { KeyFacts, stateOfKey } from './apiKey.tsx';

type Key = Schemas['ApiKey'];

const scopes: Key['scopes'] = [
  'executions:write',
  'executions:read',
  'files',
  'webhooks',
  'balance',
  'keys',
  'portal',
];

export function Keys({ organizationId, isTest }: { organizationId: string; isTest: boolean }) {
  const pages = usePages(['keys', organizationId], (cursor) =>
    read<Schemas['ApiKeyPage']>(`/organizations/${organizationId}/api-keys`, { cursor }),
  );
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Card
      title={text.keys.title}
      aside={<NewKey organizationId={organizationId} isTest={isTest} onCreated={setShown} />}
    >
      <List pages={pages} empty={<Empty title={text.keys.empty} hint={text.keys.emptyHint} />}>
        {(rows) => (
          <ul className="divide-y divide-line">
            {rows.map((key) => (
              <KeyRow key={key.id} of={key} organizationId={organizationId} onRotated={setShown} />
            ))}
          </ul>
        )}
      </List>
      <More pages={pages} />
      <ShownOnce value={shown} title={text.keys.value} hint={text.keys.once} onClose={() => setShown(null)} />
    </Card>
  );
}

type RowProps = { of: Key; organizationId: string; onRotated: (value: string) => void };

function KeyRow({ of, organizationId, onRotated }: RowProps) {
  const client = useQueryClient();
  const refusal = useRefusal('admin');
  const state = stateOfKey(of);
  const path = `/organizations/${organizationId}/api-keys/${of.id}`;
  const refresh = () => client.invalidateQueries({ queryKey: ['keys', organizationId] });
  const rotate = async () => {
    const { new_key: value } = await change<{ new_key: string }>('POST', `${path}/rotate`);
    onRotated(value);
    void refresh();
  };
  const revoke = async () => {
    await change('DELETE', path);
    await refresh();
  };
  return (
    <li className="py-3 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <KeyFacts of={of} />
        {state === 'active' && (
          <div className="flex flex-wrap gap-2">
            <SpendLimit
              path={`${path}/spend-limit`}
              name={of.name}
              current={of.spend_limit}
              stale={['keys', organizationId]}
            />
            <Confirmed
              label={text.keys.rotate}
              question={text.keys.rotateQuestion(of.name)}
              disabledBecause={refusal}
              act={rotate}
            />
            <Confirmed
              label={text.keys.revoke}
              question={text.keys.revokeQuestion(of.name)}
              tone="danger"
              disabledBecause={refusal}
              act={revoke}
            />
          </div>
        )}
      </div>
    </li>
  );
}

type NewKeyProps = { organizationId: string; isTest: boolean; onCreated: (value: string) => void };

/** One request at a time, however often the form is sent: the value of a second key would replace that of the first. */
function NewKey({ organizationId, isTest, onCreated }: NewKeyProps) {
  const client = useQueryClient();
  const refusal = useRefusal('admin');
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setOpen(false);
    setError(null);
  };
  const create = async (form: FormData) => {
    const expiresAt = String(form.get('expires_at'));
    const lines = (name: string) =>
      String(form.get(name))
        .split(/[\s,]+/)
        .filter(Boolean);
    isSending.current = true;
    setBusy(true);
    setError(null);
    try {
      const { key } = await change<Schemas['NewApiKey']>(
        'POST',
        `/organizations/${organizationId}/api-keys`,
        {
          body: {
            name: String(form.get('name')),
            scopes: form.getAll('scopes').map(String),
            models: lines('models'),
            addresses: lines('addresses'),
            ...(expiresAt && { expires_at: new Date(expiresAt).toISOString() }),
            ...(form.get('is_test') === 'on' && { mode: 'test' }),
          },
        },
      );
      close();
      onCreated(key);
      await client.invalidateQueries({ queryKey: ['keys', organizationId] });
    } catch (reason) {
      setError(reason);
    } finally {
      isSending.current = false;
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!isSending.current) void create(new FormData(event.currentTarget));
  };
  return (
    <>
      <Button disabled={refusal !== null} title={refusal ?? undefined} onClick={() => setOpen(true)}>
        {text.keys.create}
      </Button>
      <Dialog title={text.keys.create} isOpen={isOpen} onClose={close}>
        <form onSubmit={onSubmit} className="space-y-3">
          <Field label={text.organizations.name}>
            <input name="name" required maxLength={100} autoComplete="off" className={inputLook} />
          </Field>
          <fieldset>
            <legend className="mb-1 text-soft text-xs">{text.keys.scopes}</legend>
            <div className="grid grid-cols-2 gap-1">
              {scopes.map((scope) => (
                <label key={scope} className="flex items-center gap-2">
                  <input type="checkbox" name="scopes" value={scope} defaultChecked />
                  {scope}
                </label>
              ))}
            </div>
          </fieldset>
          <Field label={text.keys.models}>
            <input name="models" autoComplete="off" className={inputLook} />
          </Field>
          <Field label={text.keys.addresses}>
            <input name="addresses" autoComplete="off" className={inputLook} />
          </Field>
          <Field label={text.keys.until}>
            <input name="expires_at" type="datetime-local" className={inputLook} />
          </Field>
          {!isTest && (
            <label className="flex items-center gap-2">
              <input type="checkbox" name="is_test" />
              {text.keys.test}
            </label>
          )}
          {error !== null && <Problem error={error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>{text.close}</Button>
            <Button type="submit" tone="primary" disabled={isBusy}>
              {text.keys.create}
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
