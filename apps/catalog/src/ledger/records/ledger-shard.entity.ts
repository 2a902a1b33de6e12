import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../../db/columns';

/** One of 256 shards of the books. Its row lock guards the windows of the shard's organisations. */
@Entity('ledger_shard')
@Check('ledger_shard_id_check', 'id BETWEEN 0 AND 255')
export class LedgerShard {
  @PrimaryColumn('smallint')
  id!: number;

  /** Generation of the counters; incremented when their store has lost data. */
  @Column({ ...bigintColumn, default: 0 })
  epoch!: bigint;

  /** Number of the last ledger entry committed. */
  @Column({ ...bigintColumn, default: 0 })
  lastSeq!: bigint;

  /** Incremented with every correction of booked usage. */
  @Column({ ...bigintColumn, default: 0 })
  rev!: bigint;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt!: Date;
}
