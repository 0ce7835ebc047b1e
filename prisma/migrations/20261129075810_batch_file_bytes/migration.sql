-- AlterTable
ALTER TABLE "batches" ADD COLUMN     "error_bytes" BIGINT,
ADD COLUMN     "output_bytes" BIGINT;
