import { rest } from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../db/columns';
import { ExportDestination } from './export-destination.entity';

/**
 * The last row of one kind of record that is in a batch of a destination. Rows of transactions from
 * `startXid` on are read by (transaction, id). Earlier rows are a fixed set, because all their
 * transactions have ended: they are read first, by id.
 */
@Entity('export_cursor')
@ForeignKey(() => ExportDestination, ['destinationId'], ['id'], { onDelete: 'CASCADE' })
@Check('export_cursor_record_check', oneOf('record', rest.EXPORT_RECORDS))
export class ExportCursor {
  @PrimaryColumn('uuid')
  destinationId!: string;

  @PrimaryColumn('text')
  record!: rest.ExportRecord;

  @Column(bigintColumn)
  startXid!: bigint;

  @Column(bigintColumn)
  xid!: bigint;

  @Column('uuid')
  rowId!: string;

  /** Null: earlier rows are left out, or all of them are in batches. */
  @Column('timestamptz', { nullable: true })
  historyFrom!: Date | null;

  @Column('uuid', { nullable: true })
  historyRowId!: string | null;

  /** When the next batch of this kind may begin. */
  @Column('timestamptz')
  dueAt!: Date;

  /** Rows that retention removed before they were in a batch. */
  @Column({ ...bigintColumn, default: 0 })
  removedRows!: bigint;
}
