-- Every definition that a model had in the last 30 days, under its content: executions keep the one that they were created with,
-- attempts the one that they started on. A trigger writes them, because the previous version applies models too.
CREATE TABLE model_versions (
  id uuid PRIMARY KEY,
  definition jsonb NOT NULL,
  -- When the model got another definition; null: it is the current one. No execution is open for longer than a day.
  replaced_at timestamptz(3)
);

-- Not md5, which a server in FIPS mode refuses. `provider` repeats the first of `providers` for the previous version.
CREATE FUNCTION model_version(definition jsonb) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT encode(substring(sha256(convert_to((definition - 'provider')::text, 'UTF8')) FOR 16), 'hex')::uuid
$$;

CREATE FUNCTION keep_model_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    UPDATE public.model_versions SET replaced_at = now() WHERE id = public.model_version(OLD.definition);
  END IF;
  INSERT INTO public.model_versions (id, definition)
  VALUES (public.model_version(NEW.definition), NEW.definition - 'provider')
  ON CONFLICT (id) DO UPDATE SET replaced_at = NULL;
  DELETE FROM public.model_versions WHERE replaced_at < now() - interval '30 days';
  RETURN NULL;
END
$$;

INSERT INTO model_versions (id, definition) SELECT model_version(definition), definition - 'provider' FROM models;

CREATE TRIGGER keep_model_version AFTER INSERT OR UPDATE OF definition ON models
FOR EACH ROW EXECUTE FUNCTION keep_model_version();
