import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A soft limit that was passed in a window: the trail has been told, and is not told again. */
@Entity('soft_limit_event')
@Index(['windowEndsAt'])
@Check('soft_limit_event_span_check', 'window_starts_at < window_ends_at')
export class SoftLimitEvent {
  /** The limit's id; the parts of a rate limit end in `:rpm`, `:tpm`, `:conc`. */
  @PrimaryColumn('text')
  limitId!: string;

  @PrimaryColumn('timestamptz')
  windowStartsAt!: Date;

  @Column('timestamptz')
  windowEndsAt!: Date;

  @Column('uuid')
  organisationId!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
