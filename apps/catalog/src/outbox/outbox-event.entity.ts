import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

import { bigintColumn } from '../db/columns';

/**
 * A change that the data plane must hear of. Numbers are assigned under a lock that is held until
 * commit, so they are in commit order.
 */
@Entity('outbox_event')
export class OutboxEvent {
  /** As text, because a generated column takes no transformer. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  seq!: string;

  /** Null: everything may have changed. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  /** What changed: API_KEY, MODEL, LIMIT, … */
  @Column('text')
  kind!: string;

  /** Set when the change concerns one key only. */
  @Column('bytea', { nullable: true })
  keySha256!: Buffer | null;

  /** Limits whose counters must be forgotten. */
  @Column('text', { array: true, default: [] })
  limitIds!: string[];

  @Column('smallint', { nullable: true })
  shard!: number | null;

  /** The shard's revision after the change; 0: unchanged. */
  @Column({ ...bigintColumn, default: 0 })
  rev!: bigint;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
