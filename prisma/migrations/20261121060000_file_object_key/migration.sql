-- AlterTable
ALTER TABLE "files" ADD COLUMN     "object_key" TEXT;
