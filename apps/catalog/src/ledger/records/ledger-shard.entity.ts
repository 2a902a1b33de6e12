import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../db/columns';

/** One of the 256 books. Its row is the lock under which the shard's windows change. */
@Entity('ledger_shard')
@Check('ledger_shard_id_check', 'id BETWEEN 0 AND 255')
export class LedgerShard {
  @PrimaryColumn('smallint')
  id!: number;

  /** Generation of the counters; rises when their store has lost data. */
  @Column({ ...bigintColumn, default: 0 })
  epoch!: bigint;

  /** Number of the last ledger entry committed. */
  @Column({ ...bigintColumn, default: 0 })
  lastSeq!: bigint;

  /** Rises with every correction of what has been booked. */
  @Column({ ...bigintColumn, default: 0 })
  rev!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
