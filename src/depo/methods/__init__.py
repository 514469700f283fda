"""Methods: a few losses put together; one folder for each learner."""
