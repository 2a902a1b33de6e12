import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A soft limit that was passed in a window and has an audit event. */
@Entity('soft_limit_event')
@Index(['windowEndsAt'])
@Index(['createdAt'])
@Check('soft_limit_event_span_check', 'window_starts_at < window_ends_at')
export class SoftLimitEvent {
  /** The id of the limit; parts of a rate limit end in `:rpm`, `:tpm` or `:conc`. */
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
