"""Record what two endpoints say of the same texts: token ids and log-probabilities from one prefill a text."""
