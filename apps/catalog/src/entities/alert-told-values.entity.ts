import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { AlertRule } from './alert-rule.entity';

/**
 * Of a limit on each value: how many values alerts of a threshold have told of in the limit's window. It has no name of a
 * value, so it may outlive the alerts, which retention removes.
 */
@Entity('alert_told_values')
@Index(['windowEndsAt'])
@ForeignKey(() => AlertRule, ['ruleId'], ['id'], { onDelete: 'CASCADE' })
export class AlertToldValues {
  @PrimaryColumn('uuid')
  ruleId!: string;

  @PrimaryColumn('text')
  subjectId!: string;

  /** Of the limit; an alert has the hour in which it was raised. */
  @PrimaryColumn('timestamptz')
  windowStartsAt!: Date;

  @Column('timestamptz')
  windowEndsAt!: Date;

  @PrimaryColumn('integer')
  threshold!: number;

  /** The limit's amount when the alert was raised. */
  @PrimaryColumn('bigint')
  limitAmount!: string;

  @Column('integer')
  valueCount!: number;
}
