import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { ShownOnce } from '../../ui/secret.tsx';
import { EndpointFields } from './endpointForm.tsx';
import { settingsIn } from './webhooks.ts';

/** A form that creates an endpoint, and then shows its secret once. */
export function NewEndpoint(props: {
  words: Record<'add' | 'url' | 'urlHint' | 'secret' | 'secretHint', string>;
  tone?: 'plain' | 'primary';
  disabledBecause?: string | null;
  create: (body: object) => Promise<Schemas['CreatedWebhookEndpoint']>;
}) {
  const { words, tone = 'primary', disabledBecause = null, create } = props;
  const client = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const submit = async (form: FormData) => {
    const made = await create({ url: String(form.get('url')), ...settingsIn(form) });
    setSecret(made.secret);
    void client.invalidateQueries({ queryKey: ['endpoints'] });
  };
  return (
    <>
      <FormDialog label={words.add} tone={tone} disabledBecause={disabledBecause} submit={submit}>
        <Field label={words.url}>
          <input name="url" type="url" required placeholder={words.urlHint} className={inputLook} />
        </Field>
        <EndpointFields />
      </FormDialog>
      <ShownOnce
        value={secret}
        title={words.secret}
        hint={words.secretHint}
        onClose={() => setSecret(null)}
      />
    </>
  );
}
