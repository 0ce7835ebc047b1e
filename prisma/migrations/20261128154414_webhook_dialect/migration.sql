-- AlterTable
ALTER TABLE "executions" ADD COLUMN     "webhook_dialect" JSON;
