-- AlterTable
ALTER TABLE "face_requests" ADD COLUMN     "tries" INTEGER NOT NULL DEFAULT 1;
