-- AlterTable
ALTER TABLE "models" ADD COLUMN     "source" TEXT NOT NULL DEFAULT 'file',
ADD COLUMN     "yaml" TEXT;

ALTER TABLE models ADD CONSTRAINT models_source CHECK (source IN ('file', 'console'));

-- The gateway may write models, but no versions of them.
ALTER FUNCTION keep_model_version() SECURITY DEFINER SET search_path = public, pg_temp;
