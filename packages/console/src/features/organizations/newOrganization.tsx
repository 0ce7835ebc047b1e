import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { change, newIdempotencyKey, type Schemas } from '../../api.ts';
import { text } from '../../strings.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { textIn } from '../../ui/formData.ts';
import { ShownOnce } from '../../ui/secret.tsx';
import { useMissingRole } from '../access/session.tsx';
import { AmountField, positive } from '../money/amountField.tsx';

type Made = { id: string; name: string; topUpKey: string; secret?: string };
type Shown = { id: string; key?: string; secret?: string };

/** Creates an organization that is ready to run: with its first balance, API key and endpoint. A repeat goes on where it failed. */
export function NewOrganization() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const made = useRef<Made | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const open = (id: string) => void navigate({ to: '/organizations/$id', params: { id } });
  const submit = async (form: FormData) => {
    const [name, amount, url] = [textIn(form, 'name'), textIn(form, 'amount'), textIn(form, 'url')];
    if (made.current?.name !== name) {
      const { id } = await change<Schemas['Organization']>('POST', '/organizations', { body: { name } });
      made.current = { id, name, topUpKey: newIdempotencyKey() };
      void client.invalidateQueries({ queryKey: ['organizations'] });
    }
    const { id, topUpKey } = made.current;
    const path = `/organizations/${id}`;
    if (amount) await change('POST', `${path}/top-ups`, { body: { amount }, idempotencyKey: topUpKey });
    if (url && made.current.secret === undefined) {
      const endpoint = `${path}/webhooks/endpoints`;
      const { secret } = await change<Schemas['CreatedWebhookEndpoint']>('POST', endpoint, { body: { url } });
      made.current.secret = secret;
    }
    const { secret } = made.current;
    const isKeyed = form.get('key') === 'on';
    const created = isKeyed
      ? await change<Schemas['NewApiKey']>('POST', `${path}/api-keys`, { body: { name: text.keys.first } })
      : null;
    made.current = null;
    if (created || secret) setShown({ id, ...(created && { key: created.key }), ...(secret && { secret }) });
    else open(id);
  };
  return (
    <>
      <FormDialog label={text.organizations.create} disabledBecause={useMissingRole('admin')} submit={submit}>
        <Field label={text.organizations.name}>
          <input name="name" required maxLength={200} autoComplete="off" className={inputLook} />
        </Field>
        <AmountField
          label={text.organizations.firstTopUp}
          pattern={positive}
          isRequired={false}
          placeholder="25.00"
        />
        <Field label={text.organizations.firstEndpoint}>
          <input
            name="url"
            type="url"
            placeholder={text.webhooks.adding.urlHint}
            autoComplete="off"
            className={inputLook}
          />
        </Field>
        <label className="flex items-center gap-2">
          <input type="checkbox" name="key" defaultChecked className="accent-accent" />
          {text.organizations.firstKey}
        </label>
      </FormDialog>
      <ShownOnce
        value={shown?.key ?? shown?.secret ?? null}
        title={shown?.key ? text.keys.value : text.webhooks.adding.secret}
        hint={text.keys.once}
        also={
          shown?.key && shown.secret ? { title: text.webhooks.adding.secret, value: shown.secret } : undefined
        }
        onClose={() => {
          if (shown) open(shown.id);
          setShown(null);
        }}
      />
    </>
  );
}
